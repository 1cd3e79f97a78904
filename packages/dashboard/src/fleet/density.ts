import { computed, signal } from '@preact/signals';
import { counts, FOLD_ABOVE } from '../state/live.ts';

type Density = 'auto' | 'compact' | 'roomy';
const KEY = 'holter-density';

function remembered(): Density {
  try {
    const text = localStorage.getItem(KEY);
    return text === 'compact' || text === 'roomy' ? text : 'auto';
  } catch {
    return 'auto';
  }
}

const density = signal<Density>(remembered());

const agentCount = computed(() =>
  Object.values(counts.value?.byState ?? {}).reduce((sum, count) => sum + count, 0),
);

/** One line per agent: by choice, or because there are many. */
export const isCompact = computed(() =>
  density.value === 'auto' ? agentCount.value > FOLD_ABOVE : density.value === 'compact',
);

export function toggleDensity(): void {
  density.value = isCompact.value ? 'roomy' : 'compact';
  try {
    localStorage.setItem(KEY, density.value);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
}
