import { z } from 'zod';
import type { HookSessions } from '../../sessions/index.ts';
import { HttpProblem, problem, refusalOfIntake } from '../problem.ts';
import { defineRoute, type Route } from '../route.ts';

/** A tool's whole result travels in a hook's body; what is larger is not worth comparing. */
const BODY_BYTES_MAX = 8 * 1024 * 1024;
/** Reading one takes about 0.1 s; they are pictures and whole files, which come one at a time. */
const LARGE_PER_SECOND = 4;

/**
 * The hooks of every agent kind that posts them. A hook that fails is shown to the person at the terminal each
 * time, so every body that is a hook is answered well, whether its event is known or not.
 */
export const hookRoutes = (hooks: readonly HookSessions[]): readonly Route[] => hooks.map(hookRoute);

function hookRoute(sessions: HookSessions): Route {
  const { name, hooks } = sessions.adapter;
  return defineRoute({
    method: 'POST',
    url: `/hooks/${name}`,
    summary: `A hook of ${name}; the reply carries what Holter has to say to the agent.`,
    access: ['hook', 'agent', 'enroll', 'operator'],
    bodyShown: z.looseObject({}).describe(`As the agent posts it, with ${hooks.needs}.`),
    bodyBytesMax: BODY_BYTES_MAX,
    largeBodiesPerSecond: LARGE_PER_SECOND,
    answers: {
      200: {
        description: 'Often `{}`: go on. Else words for the model, as hooks take them.',
        schema: z.looseObject({}),
      },
      400: { description: `not_a_hook: a hook has ${hooks.needs}.` },
      429: { description: 'too_many_sessions: the token began too many in a short time.' },
    },
    handle: async ({ body, caller }) => {
      const answer = await sessions.handle(body, caller);
      if (!answer) throw problem(400, 'not_a_hook', `a hook has ${hooks.needs}`);
      if (answer.kind === 'refused') throw new HttpProblem(refusalOfIntake(answer));
      return answer.reply;
    },
  });
}
