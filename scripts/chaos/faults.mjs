// What happens to servers, PostgreSQL, its disk and the network. Each fault takes place, is over, and then returns.

import pg from 'pg';

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const between = (min, max) => min + Math.random() * (max - min);

/**
 * `noteFault` is called when a server can't go on with what it had begun; `outages` has the times in which nobody can
 * write.
 */
export function faultsOf({ servers, postgres, disk, restart, noteFault, outages, say }) {
  const pick = () => servers[Math.floor(Math.random() * servers.length)];

  const stopFor = async (server, ms) => {
    noteFault();
    server.child.kill('SIGSTOP');
    await pause(ms);
    server.child.kill('SIGCONT');
    await pause(2_000);
  };

  return {
    'a server is killed': async () => {
      const server = pick();
      noteFault();
      server.child.kill('SIGKILL');
      await pause(between(2_000, 6_000));
      await restart(server);
    },
    'a server is stopped': () => stopFor(pick(), between(2_000, 12_000)),
    'a server is stopped in the middle of its commits': async () => {
      const server = pick();
      const { databaseLink } = server;
      // Its commits wait for the network between their two messages.
      databaseLink.delayMs = 100;
      await pause(1_000);
      const stopped = stopFor(server, between(6_000, 12_000));
      // What was on its way arrives.
      await pause(500);
      const held = await withClient(postgres, (client) => client.query(LOCKS_HELD, [databaseLink.farPorts]));
      say(`  server ${server.number} holds ${held.rows[0].count} locks`);
      await stopped;
      databaseLink.delayMs = 0;
    },
    'PostgreSQL is stopped and started': async () => {
      const outage = { from: Date.now(), to: Number.POSITIVE_INFINITY };
      outages.push(outage);
      await postgres.stop(['INT', 'QUIT', 'KILL'][Math.floor(Math.random() * 3)]);
      await pause(between(500, 5_000));
      while (!(await postgres.start())) await pause(200);
      outage.to = Date.now();
    },
    'connections to PostgreSQL are cut': async () => {
      for (const { databaseLink } of servers) databaseLink.cut(0.5);
    },
    'a server loses PostgreSQL': async () => {
      const { databaseLink } = pick();
      noteFault();
      databaseLink.isClosed = true;
      databaseLink.cut();
      await pause(between(2_000, 10_000));
      databaseLink.isClosed = false;
    },
    'a server hears nothing from PostgreSQL': async () => {
      const { databaseLink } = pick();
      noteFault();
      databaseLink.isSilent = true;
      await pause(between(2_000, 10_000));
      databaseLink.isSilent = false;
      databaseLink.cut();
    },
    'PostgreSQL is far away': async () => {
      for (const { databaseLink } of servers) databaseLink.delayMs = between(5, 50);
      await pause(between(5_000, 15_000));
      for (const { databaseLink } of servers) databaseLink.delayMs = 0;
    },
    ...(disk && {
      'the disk is slow': async () => {
        disk.set(between(50, 300));
        await pause(between(5_000, 15_000));
        disk.set(0);
      },
    }),
    'the network delays': async () => {
      const { link } = pick();
      link.delayMs = between(50, 500);
      await pause(between(5_000, 10_000));
      link.delayMs = 0;
    },
    'the network drops connections': async () => {
      const { link } = pick();
      const until = Date.now() + between(3_000, 10_000);
      for (; Date.now() < until; await pause(500)) link.cut(0.3);
    },
    'the network swallows everything': async () => {
      const { link } = pick();
      noteFault();
      link.isSilent = true;
      await pause(between(3_000, 8_000));
      link.isSilent = false;
      link.cut();
    },
  };
}

const LOCKS_HELD = `select count(*)::int as count from pg_locks join pg_stat_activity using (pid)
  where state = 'idle in transaction' and client_port = any($1::int[]) and granted and mode like 'Row%'`;

async function withClient(postgres, use) {
  const client = new pg.Client(postgres.url());
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
