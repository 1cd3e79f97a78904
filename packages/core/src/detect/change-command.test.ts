import { expect, test } from 'vitest';
import { changesSomething } from './change-command.ts';
import { simpleCommands } from './shell-words.ts';

test.each([
  'sleep 5; gh run view 123',
  'sleep 5 && gh run list --workflow deploy',
  'sleep 3; kubectl rollout status deploy/web',
  'sleep 5; kubectl get deploy',
  'sleep 5; kubectl -n deploy get pods -o wide',
  'sleep 2; cat run.log',
  'sleep 2; tail -n 3 deploy.log | grep -c up',
  'sleep 2; cat /var/run/api.pid',
  'sleep 2; curl -s localhost:8080/up',
  'sleep 2; curl -s "http://ci/jobs?b=1&c=2"',
  'sleep 2; curl -s http://ci/jobs?b=1&c=2',
  'sleep 2; cat log 2>&1 | tail -1',
  'sleep 2; kill -0 4411 && echo up',
  'until curl -sf localhost/up; do sleep 2; done',
  'for run in 1 2 3; do cat $run.log; sleep 2; done',
  'sleep 5; gcloud run services describe api --region eu',
  'sleep 5; aws deploy get-deployment --deployment-id d-1',
  'sleep 5; uv run scripts/job_status.py 17',
  'sleep 5; npm run status',
  'sleep 5; ./deploy.sh --env prod status',
  'sleep 5; ssh web "systemctl status api; tail -1 /var/log/run.log"',
  'sleep 5; python -c "print(open(\'run.log\').read())"',
  'sleep 2; echo "restart follows"; grep -rn "docker compose up" docs',
  'sleep 2 # then deploy\ncat state',
])('a look: %s', (command) => {
  expect(changesSomething(command)).toBe(false);
});

test.each([
  './deploy.sh; sleep 5',
  'bash scripts/deploy.sh && sleep 5',
  'npm run deploy; sleep 5; curl -s localhost/up',
  'sleep 3; git push origin main',
  'docker compose up -d && sleep 5 && docker compose ps',
  'systemctl start api; sleep 2; systemctl status api',
  'sudo systemctl restart api; sleep 2',
  'kubectl rollout restart deploy/web; sleep 5',
  'kubectl apply -f deploy.yml; sleep 5',
  'kill 4411; sleep 2; cat run.log',
  'pkill -f worker; sleep 2',
  './server & sleep 3; curl x',
  'nohup ./server; sleep 2',
  'sleep 2; curl -X POST localhost/jobs',
  'sleep 2; curl -XDELETE localhost/jobs/7',
  'sleep 2; curl --request=PUT localhost/jobs/7',
  'gh workflow run ci.yml; sleep 5; gh run list',
  'gh run rerun 17; sleep 5',
  'gcloud run deploy api; sleep 5',
  'aws s3api delete-object --bucket b; sleep 2',
  'while true; do make deploy; sleep 2; done',
  'ssh web "systemctl restart api"; sleep 2',
  'poetry run ./deploy; sleep 2',
  'python -c "import subprocess"; sleep 2; cat run.log',
])('a change: %s', (command) => {
  expect(changesSomething(command)).toBe(true);
});

test('words are what a shell would make of them', () => {
  expect(simpleCommands('A=1 cat "a b" c\\ d 2>&1 | wc -l && x & # end')).toEqual([
    { words: ['A=1', 'cat', 'a b', 'c d', '2>&1'], isBackground: false },
    { words: ['wc', '-l'], isBackground: false },
    { words: ['x'], isBackground: true },
  ]);
});
