import { cline } from './cline.ts';
import { geminiCli } from './gemini-cli.ts';
import { holter } from './holter.ts';
import { opencode } from './opencode.ts';
import { openHands } from './openhands.ts';
import type { Peer } from './peer.ts';

export const ALL: readonly Peer[] = [holter, cline, geminiCli, openHands, opencode];
