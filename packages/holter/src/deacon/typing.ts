/** The part of the hand for tmux that types at the prompt of an agent. */
export { childrenOf, findAgent } from '../tmux/find-agent.ts';
export { seePrompt, typeAtPrompt } from '../tmux/prompt.ts';
export { SessionFiles } from '../tmux/session-files.ts';
