import { asName, asNumber, asText, type JsonRecord } from '../shared/json.ts';
import { OpenCalls } from '../shared/open-calls.ts';
import type { Transcript, TranscriptFact, TranscriptReader } from '../shared/transcript.ts';

export const transcript: Transcript = { open: (sessionId) => new ShellLogReader(sessionId) };

/** One command, from its `call` line to its `result` line. */
class ShellLogReader implements TranscriptReader {
  private readonly open = new OpenCalls<{ readonly tool: string; readonly input: unknown }>();
  private readonly run: string;

  constructor(run: string) {
    this.run = run;
  }

  push(line: JsonRecord): readonly TranscriptFact[] {
    const common = { run: this.run, at: null };
    switch (line.event) {
      case 'call': {
        const callId = asName(line.id);
        if (callId === null) return [];
        const call = { tool: 'sh', input: { command: asText(line.command) } };
        this.open.begin(callId, call);
        return [{ ...common, kind: 'call-begun', callId, ...call }];
      }
      case 'result': {
        const callId = asName(line.id) ?? '';
        const call = this.open.take(callId);
        if (!call) return [];
        const isError = (asNumber(line.exit) ?? 0) !== 0;
        const output = asText(line.output) ?? '';
        return [{ ...common, kind: 'call-ended', callId, ...call, text: null, output, isError, usage: null }];
      }
      case 'said':
        return [
          { ...common, kind: 'said', role: 'assistant', text: asText(line.text) ?? '', promptId: null },
        ];
      default:
        return [];
    }
  }

  flush(): readonly TranscriptFact[] {
    return [];
  }
}
