import { transcriptFormat } from '../shared/replay.ts';
import { transcript } from './transcript.ts';

export const replay = transcriptFormat(
  'shell-log',
  (record) => record.event === 'started' && record.agent === 'shell-agent',
  transcript.open,
);
