import { transcriptFormat } from '../shared/replay.ts';
import { transcript } from './transcript.ts';

export const replay = transcriptFormat(
  'claude-code',
  (record) => typeof record.sessionId === 'string' && typeof record.type === 'string',
  transcript.open,
);
