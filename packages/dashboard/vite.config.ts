import { defineConfig } from 'vite';

// The compiler of the workspace checks the types; here the files only become one script and one style sheet.
export default defineConfig({
  root: new URL('./src', import.meta.url).pathname,
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist/page',
    emptyOutDir: true,
    target: 'es2022',
    // Everything has a file of its own, because the page's policy forbids what is inline.
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: true,
  },
});
