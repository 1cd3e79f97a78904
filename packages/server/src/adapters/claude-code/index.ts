import { basename } from 'node:path';
import type { Adapter } from '../shared/adapter.ts';
import { connect } from './connect.ts';
import { diagnose } from './doctor.ts';
import { hooks } from './hooks.ts';
import { MODEL_TIMEOUT_MS } from './model-timeout.ts';
import { recipe } from './recipe.ts';
import { replay } from './replay.ts';
import { screen } from './screen.ts';
import { readSessionFiles } from './session.ts';
import { transcript } from './transcript.ts';

/** Anthropic's Claude Code; see docs/agents/claude-code.md. */
export const claudeCode: Adapter = {
  name: 'claude-code',
  isProgram: (program) =>
    /^claude(\.exe)?$/.test(basename(program)) || /^@anthropic-ai\/claude-code(@[\w.^~-]+)?$/.test(program),
  promises: { calls: { modelTimeoutMs: MODEL_TIMEOUT_MS }, turns: true },
  hooks,
  transcript,
  session: readSessionFiles,
  screen,
  recipe,
  connect,
  doctor: diagnose,
  replay,
};
