import { type Agent, isAgentId } from '@holter/core';
import type { FastifyRequest } from 'fastify';
import type { Reader } from '../channels/index.ts';
import type { Engine } from '../engine/engine.ts';
import { mayDecideFor } from '../intake/index.ts';
import { redact } from '../redaction/index.ts';
import { type HttpProblem, problem } from './problem.ts';
import type { Caller } from './tokens.ts';

/** The id in a path. An agent's token opens only its own. */
export function agentIdOf(params: Readonly<Record<string, string>>, caller: Caller): string {
  const id = params.id ?? '';
  if (!isAgentId(id))
    throw problem(400, 'bad_agent_id', 'an agent id has 1 to 128 of A-Z a-z 0-9 . _ @ : -', 'id');
  if (caller.role === 'agent' && caller.agentId !== id) throw notYours();
  return id;
}

const notYours = (): HttpProblem => problem(403, 'forbidden', 'this token speaks for another agent');

export async function readAgent(engine: Engine, agentId: string): Promise<Agent> {
  const agent = await engine.read(agentId);
  if (!agent) throw unknownAgent(agentId);
  return agent;
}

export const unknownAgent = (agentId: string): HttpProblem =>
  problem(404, 'unknown_agent', `no agent with the id ${agentId}`);

export function checkMayDecide(caller: Caller, { hard }: Agent): void {
  if (!mayDecideFor(caller, hard.group))
    throw problem(403, 'forbidden', 'this token decides for another group');
}

/** The page shows who it is by its cookie, everything else by a token in the header. */
export const readerOf = ({ headers }: FastifyRequest, { who }: Caller): Reader => ({
  who,
  channel: headers.authorization === undefined ? 'page' : 'cli',
});

/** The token is what is proven; another name beside it is what its bearer says. An operator could write anything. */
export function decidedBy({ name, role, who }: Caller, given: string | undefined): string {
  if (given === undefined || given === name) return who;
  if (name === null) return role === 'operator' ? redact(given) : `${redact(given)} (${who})`;
  return `${redact(given)} (as ${name})`;
}
