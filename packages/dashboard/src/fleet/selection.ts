import { computed, signal } from '@preact/signals';

/** Agents that were ticked for one decision about all of them. */
export const selected = signal<ReadonlySet<string>>(new Set());
export const selectedCount = computed(() => selected.value.size);

export function toggle(agentId: string): void {
  const next = new Set(selected.value);
  if (!next.delete(agentId)) next.add(agentId);
  selected.value = next;
}

export function select(agentIds: readonly string[]): void {
  selected.value = new Set(agentIds);
}
