export const SOCKET_OPTION: readonly [flags: string, does: string] = [
  '--socket <name>',
  'name or path of the tmux socket (default: the one that tmux uses)',
];
