// The real server of a checkout, on a clock that the caller moves, and ways to talk to it. Used by write-data-folder.mjs.

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const BEGIN = Date.UTC(2026, 0, 15, 8);

/** Time stands still while the server works, and then goes on to the next timer. */
class SteppedClock {
  at = BEGIN;
  timers = [];

  now() {
    return this.at;
  }

  after(ms, callback) {
    const timer = { at: this.at + ms, callback };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  async advanceTo(target, settle) {
    for (;;) {
      const next = this.timers.filter(({ at }) => at <= target).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.timers = this.timers.filter((other) => other !== next);
      this.at = Math.max(this.at, next.at);
      next.callback();
      await settle();
    }
    this.at = target;
  }
}

/** Known to everybody, so that the folder holds no secret that is worth anything. */
const firstSecretOf = (role) => `hlt_fixture-${role}`;

export class DataFolderServer {
  clock = new SteppedClock();
  secrets = new Map();
  beating = new Set();

  static async start(checkout, config) {
    const built = await import(pathToFileURL(resolve(checkout, 'packages/server/dist/index.js')).href);
    const self = new DataFolderServer();
    self.built = built;
    self.data = new built.DataFolder(mkdtempSync(join(tmpdir(), 'holter-data-folder-')));
    await self.writeFirstTokens();
    // Earlier versions take the files of operator and working directory.
    const files = { operator: 'holter.yaml', workingDirectory: null, operatorDefault: 'holter.yaml' };
    const loaded = built.loadConfig(built.findConfigFiles ? files : 'holter.yaml', () => config);
    if (loaded.kind !== 'loaded') throw new Error(JSON.stringify(loaded.problems));
    self.running = await built.startServer({
      dataFolder: self.data.path,
      config: loaded.config,
      version: 'fixture',
      logger: built.createLogger({ write: () => undefined, isPretty: false, level: 'silent' }),
      port: 0,
      demo: {
        clock: self.clock,
        speed: 1,
        begin: ({ engine }) => {
          self.engine = engine;
          return () => undefined;
        },
      },
    });
    return self;
  }

  async writeFirstTokens() {
    const { data, built } = this;
    data.prepare();
    const store = await built.openSqlite(data.databaseFile);
    for (const role of built.FIRST_ROLES) {
      const secret = firstSecretOf(role);
      const hash = createHash('sha256').update(secret).digest('hex');
      const owner = { agentId: null, group: null };
      await store.putToken({ id: `first-${role}`, hash, role, ...owner, createdAt: BEGIN, revokedAt: null });
      data.writeToken(role, secret);
    }
    await store.close();
  }

  /** The database works in a thread, one request after the other: after enough of them, what was begun is done. */
  async settle(rounds = 48) {
    for (let round = 0; round < rounds; round++) {
      await new Promise((go) => setImmediate(go));
      await this.engine.read('an agent that does not exist');
    }
  }

  async pass(ms) {
    await this.clock.advanceTo(this.clock.at + ms, () => this.settle(4));
  }

  async until(minute) {
    for (;;) {
      const left = BEGIN + minute * MINUTE - this.clock.at;
      if (left <= 0) return this.settle();
      await this.pass(Math.min(left, 30 * SECOND));
      for (const agentId of this.beating) await this.say(agentId, { kind: 'heartbeat' });
    }
  }

  async http(method, path, body, who = 'operator') {
    const secret = this.secrets.get(who) ?? firstSecretOf(who);
    const response = await fetch(`${this.running.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  }

  async register(agentId, { promises, ...fields } = {}) {
    const { token } = await this.http('POST', '/v1/agents', {
      agentId,
      instanceId: `${agentId}-process`,
      role: 'active-development',
      group: 'team',
      mode: 'act',
      can: [],
      promises: { beatEverySeconds: 60, ...promises },
      ...fields,
    });
    this.secrets.set(agentId, token);
    this.beating.add(agentId);
  }

  async say(agentId, body, origin = 'agent') {
    const { incarnation } = (await this.engine.read(agentId)).hard;
    const answer = await this.engine.signal({ agentId, incarnation, ...body }, origin);
    if (answer.rejected !== undefined) throw new Error(`${agentId}: ${JSON.stringify(answer.rejected)}`);
  }

  async exit(agentId, code) {
    this.beating.delete(agentId);
    await this.say(agentId, { kind: 'exited', code }, 'holter');
  }

  async call(agentId, tool, input, output, isError = false) {
    const callId = `${agentId}-${this.clock.at}`;
    await this.say(agentId, { kind: 'call-begun', callId, tool, input });
    await this.say(agentId, { kind: 'call-ended', callId, tool, input, output, isError });
    await this.pass(3 * SECOND);
  }

  decide(agentId, word, fields = {}) {
    return this.http('POST', `/v1/agents/${agentId}/${word}`, { reason: 'for the fixture', ...fields });
  }

  async decideIncident(agentId, decision) {
    const { id } = (await this.engine.read(agentId)).hard.incident;
    await this.http('POST', `/v1/incidents/${id}/decision`, { decision, reason: 'for the fixture' });
  }

  /** Over HTTP it would be refused, because the run that would start the agent again has not connected yet. */
  async orderToBringBack(agentId, decision) {
    const words = { by: 'operator first-operator', reason: 'for the fixture' };
    const answer = await this.engine.decide(agentId, { decision, ...words });
    if (answer.rejected !== undefined) throw new Error(`${agentId}: ${JSON.stringify(answer.rejected)}`);
  }

  async checkpoint(agentId, checkpointId) {
    const content = { done: checkpointId };
    await this.http('POST', `/v1/agents/${agentId}/checkpoints`, { checkpointId, content });
  }

  /** Notices count as read when somebody who may decide has been shown them: here, those of one group. */
  async readNotices() {
    const { incidents } = await this.http('GET', '/v1/incidents', undefined, 'orchestrator');
    const incidentIds = incidents.map(({ incidentId }) => incidentId);
    await this.http('POST', '/v1/incidents/shown', { incidentIds }, 'orchestrator');
    await this.settle();
  }

  async acquirePermit(agentId, breaker) {
    const { answers } = await this.http('POST', `/v1/agents/${agentId}/breakers/${breaker}/acquire`, {});
    return answers[0];
  }

  async failThroughBreaker(agentId, breaker, times) {
    for (let count = 0; count < times; count++) {
      const { generation, permitId } = await this.acquirePermit(agentId, breaker);
      const report = { generation, permitId };
      await this.http('POST', `/v1/agents/${agentId}/breakers/${breaker}/failure`, report);
    }
  }

  /** A `holter run` on another machine says that it is there, and is given its effects. */
  async connectRun(agentId) {
    const { incarnation, executor } = (await this.engine.read(agentId)).hard;
    await this.http('POST', `/v1/executors/${executor}`, {
      agentId,
      incarnation,
      runId: agentId,
      hostId: 'another-host',
      run: { bootId: 'boot', pid: 4_711, startedAt: '1' },
      child: null,
      nudgeFile: null,
      onLost: 'adopt',
    });
    const poll = () => this.http('POST', `/v1/executors/${executor}/poll`, { have: [], waitSeconds: 0 });
    await poll();
    await this.pass(SECOND);
    await this.settle();
    return (await poll()).effects;
  }

  async reportDone(agentId, effectId) {
    const { executor } = (await this.engine.read(agentId)).hard;
    const receipt = { effectId, outcome: 'done', detail: 'done' };
    await this.http('POST', `/v1/executors/${executor}/receipts`, receipt);
    await this.settle();
  }

  /** Copies the folder while the server runs, and then stops the server. */
  async copyTo(folder) {
    const { data, built } = this;
    const target = new built.DataFolder(resolve(folder));
    mkdirSync(target.path, { recursive: true });
    rmSync(target.databaseFile, { force: true });
    const store = await built.openSqlite(data.databaseFile);
    await store.backup(target.databaseFile);
    await store.close();
    for (const role of built.FIRST_ROLES) target.writeToken(role, firstSecretOf(role));
    await this.running.stop();
    rmSync(data.path, { recursive: true, force: true });
  }
}
