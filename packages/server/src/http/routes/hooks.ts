import { z } from 'zod';
import type { HookSessions } from '../../adapters/claude-code/hook-sessions.ts';
import { problem } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';

/** A tool's whole result travels in a hook's body; what is larger is not worth comparing. */
const BODY_BYTES_MAX = 8 * 1024 * 1024;

/**
 * The hooks of Claude Code. A hook that fails is shown to the person at the terminal each time, so whatever
 * has the shape of one is answered well, known or not; what has not is somebody's mistake, and is told so.
 */
export function hookRoutes(sessions: HookSessions): readonly Route[] {
  return [
    defineRoute({
      method: 'POST',
      url: '/hooks/claude-code',
      summary: "One of Claude Code's hooks; the reply carries what Holter has to say to the agent.",
      access: ['agent', 'enroll', 'operator'],
      bodyShown: hookBody,
      bodyBytesMax: BODY_BYTES_MAX,
      answers: {
        200: {
          description: 'Often `{}`: go on. Else words for the model, as hooks take them.',
          schema: hookReply,
        },
        400: { description: 'not_a_hook: no hook_event_name, or a session_id that is no UUID.' },
      },
      handle: ({ body, caller }) => {
        const reply = sessions.handle(body, caller);
        if (!reply) throw problem(400, 'not_a_hook', 'a hook has hook_event_name, and a UUID as session_id');
        return reply;
      },
    }),
  ];
}

const hookBody = z.looseObject({
  hook_event_name: z.string(),
  session_id: z.uuid(),
  agent_id: z.string().optional(),
  transcript_path: z.string().optional(),
  cwd: z.string().optional(),
});

const hookReply = z.looseObject({ hookSpecificOutput: z.looseObject({}).optional() });
