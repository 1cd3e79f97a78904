import { after, bash, edit, fails, run, times, user } from './run-kit.ts';

/** Looks after a short sleep whose words sound like a change, and changes that sleep as long. */
const BUILDING = '{"status":"in_progress","conclusion":""}';
const UNREADY = 'NAME   READY   UP-TO-DATE   AVAILABLE   AGE\nweb    0/3     3            0           4m';

const looks: readonly (readonly [string, string, string])[] = [
  ['a-run-of-ci', 'sleep 5; gh run view 123 --json status,conclusion', BUILDING],
  ['list-of-runs', 'sleep 4 && gh run list --workflow deploy --limit 1', 'in_progress  deploy  main  push'],
  [
    'rollout-of-a-deployment',
    'sleep 5; kubectl rollout status deploy/web --watch=false',
    'Waiting for deployment "web" rollout to finish: 0 of 3 updated replicas are available...',
  ],
  ['a-deployment', 'sleep 5; kubectl get deploy web', UNREADY],
  ['log-of-a-run', 'sleep 3; cat run.log', 'phase 2 begun\nindexing'],
  ['log-of-a-deployment', 'sleep 3; tail -n 2 deploy.log', 'pushing image\nlayer 3 of 9'],
  ['file-in-var-run', 'sleep 2; cat /var/run/worker/state', 'draining'],
  ['page-called-up', 'sleep 3; curl -s localhost:4000/up', '{"up":false,"migrating":true}'],
  ['query-in-quotes', 'sleep 3; curl -s "http://ci.local/api/builds?branch=main&limit=1"', BUILDING],
  ['is-it-alive', 'sleep 4; kill -0 4411 && echo still there', 'still there'],
  ['status-of-a-script', 'sleep 5; ./deploy.sh status', 'canary 1 of 3'],
  ['until-it-is-up', 'until grep -q up state; do sleep 2; cat state; break; done', 'starting'],
];

const healthy = looks.map(([name, command, output]) =>
  run(`short-poll/${name}`, 'none-none', `nine looks a few seconds apart: ${command}`, [
    user('Ship it, and tell me when it is through.'),
    ...times(9, () => bash(command, output)),
    bash(command, 'finished'),
  ]),
);

const twoCalls = [
  run('short-poll/sleep-and-look-at-a-run', 'none-none', 'the sleep is a call of its own', [
    ...times(9, () => [bash('sleep 5', ''), bash('gh run view 123 --json status', BUILDING)]),
    bash('gh run view 123 --json status', '{"status":"completed"}'),
  ]),
];

const REFUSED = 'curl: (7) Failed to connect to localhost port 4000: Connection refused';

const stuck = [
  run('change-with-a-nap/deploys-again', 'act-act', 'the same deployment, eight times, with the same end', [
    ...times(8, () =>
      bash('make deploy; sleep 5; tail -n 1 deploy.log', 'deploy: quota exceeded, nothing done'),
    ),
  ]),
  run('change-with-a-nap/npm-run-deploy', 'act-act', 'a script of the package deploys in vain', [
    ...times(8, () => fails('npm run deploy && sleep 5', 'deploy: lock is held by somebody else')),
  ]),
  run('change-with-a-nap/push', 'act-act', 'a push that is rejected is tried again after a nap', [
    ...times(8, () => fails('sleep 3; git push origin main', '! [rejected] main -> main (non-fast-forward)')),
  ]),
  run('change-with-a-nap/starts-the-service', 'act-act', 'started, a nap, refused, started again', [
    ...times(8, () => [
      bash('systemctl start api', ''),
      fails('sleep 3; curl -s localhost:4000/up', REFUSED),
    ]),
  ]),
  run('change-with-a-nap/rerun', 'act-act', 'a run of CI is started again and again', [
    ...times(8, () =>
      bash('gh run rerun 123; sleep 5', 'run 123 cannot be rerun; its workflow file is gone'),
    ),
  ]),
  run('change-with-a-nap/posts', 'act-act', 'a job is submitted again and again', [
    ...times(8, () => bash('curl -s -X POST localhost:4000/jobs; sleep 3', '{"error":"queue is closed"}')),
  ]),
  run('poll-long/looks-at-a-run-for-an-hour', 'warn-act', 'a short poll that lasts too long is reported', [
    edit('ci.yml', 'a', 'b'),
    ...times(140, () => after(6_000, bash('sleep 5; gh run view 123', 'queued'))),
  ]),
];

export const pollRuns = [...healthy, ...twoCalls, ...stuck];
