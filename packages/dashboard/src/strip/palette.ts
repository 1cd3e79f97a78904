import { paint } from '../state/theme.ts';

const NAMES = [
  'ink',
  'soft',
  'line',
  'healthy',
  'degraded',
  'stuck',
  'failing',
  'terminated',
  'accent',
] as const;
export type Palette = Readonly<Record<(typeof NAMES)[number], string>>;

let cached: { readonly of: number; readonly palette: Palette } | null = null;

/** The style sheet's colours as a canvas understands them, read once per change of theme. */
export function palette(): Palette {
  if (cached?.of === paint.value) return cached.palette;
  const probe = document.createElement('span');
  probe.hidden = true;
  document.body.append(probe);
  const colours: Record<string, string> = {};
  for (const name of NAMES) {
    probe.style.color = `var(--${name})`;
    colours[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  cached = { of: paint.value, palette: colours as Palette };
  return cached.palette;
}
