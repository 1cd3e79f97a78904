// `npm run pack [-- FOLDER]`: makes what users install, `holter-VERSION.tgz` with server and page inside, and
// `holter-agent-VERSION.tgz` beside it. The packages of the workspace are bundled; npm installs the others.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const isOurs = (name) => name.startsWith('@holter/');
const folderOf = (name) => join(root, 'packages', name.replace('@holter/', ''));
const manifestOf = (name) => JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8'));

/** The packages of the workspace that a package needs, also indirectly. */
function needsOf(name, found = new Set()) {
  for (const each of Object.keys(manifestOf(name).dependencies ?? {}).filter(isOurs))
    if (!found.has(each)) needsOf(each, found.add(each));
  return [...found];
}

/** The versions that the workspace overrides: elsewhere that counts only for what the package asks for itself. */
function pinned() {
  const { overrides = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.fromEntries(
    Object.entries(overrides).filter(([name]) => packages[`node_modules/${name}`]?.dev !== true),
  );
}

/** Copies what a package publishes, without what only its build needs. */
function stage(name, to) {
  const { files, devDependencies: _build, scripts: _scripts, ...manifest } = manifestOf(name);
  mkdirSync(to, { recursive: true });
  const isKept = (path) => !/\.tsbuildinfo$|\.map$/.test(path);
  for (const each of files.filter((pattern) => !pattern.startsWith('!')))
    cpSync(join(folderOf(name), each), join(to, each), { recursive: true, filter: isKept });
  return { ...manifest, files };
}

function packOne(name, destination) {
  const folder = mkdtempSync(join(tmpdir(), 'holter-pack-'));
  try {
    const manifest = stage(name, folder);
    const bundled = needsOf(name);
    const dependencies = { ...manifest.dependencies, ...(name === 'holter' && pinned()) };
    for (const each of bundled) {
      const { dependencies: more = {}, ...own } = stage(each, join(folder, 'node_modules', each));
      // What npm installs is asked for once, by the package on top.
      for (const [other, range] of Object.entries(more)) if (!isOurs(other)) dependencies[other] = range;
      write(join(folder, 'node_modules', each), own);
      dependencies[each] = own.version;
    }
    write(folder, { ...manifest, dependencies, bundleDependencies: bundled });
    for (const file of ['LICENSE', 'README.md']) cpSync(join(root, file), join(folder, file));
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', destination];
    const { status, stdout, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(`npm pack failed: ${stderr}`);
    return join(destination, JSON.parse(stdout)[0].filename);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const write = (folder, manifest) =>
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);

const destination = resolve(process.argv[2] ?? join(root, 'dist'));
mkdirSync(destination, { recursive: true });
for (const name of ['holter', '@holter/agent']) console.log(packOne(name, destination));
