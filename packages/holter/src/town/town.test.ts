import { describe, expect, it } from 'vitest';
import {
  BOOT,
  BOOT_SESSION,
  DEACON,
  DEACON_SESSION,
  findTown,
  OVERSEER,
  TOWN_OPTION,
  type Town,
} from './town.ts';

describe('a town', () => {
  it('is named by the option, else by HOLTER_TOWN, else it is ~/gt', () => {
    const env = { HOLTER_TOWN: '/towns/b', HOME: '/home/ada' };
    expect(findTown('/towns/a', env).path).toBe('/towns/a');
    expect(findTown(undefined, env).path).toBe('/towns/b');
    expect(findTown(undefined, { HOME: '/home/ada' }).path).toBe('/home/ada/gt');
  });

  it('has the names that its documentation gives', () => {
    expect([BOOT_SESSION, DEACON_SESSION]).toEqual(['gt-boot', 'hq-deacon']);
    expect([BOOT, DEACON, OVERSEER]).toEqual(['boot', 'deacon', 'overseer']);
    expect(TOWN_OPTION[0]).toBe('--town <dir>');
  });

  it('has the files that its documentation names', () => {
    const town: Town = findTown('/t', {});
    expect(town).toMatchObject({
      heartbeatFile: '/t/deacon/heartbeat.json',
      healthCheckFile: '/t/deacon/health-check-state.json',
      deaconStateFile: '/t/deacon/state.json',
      digestsFile: '/t/deacon/digests.jsonl',
      bootMarkerFile: '/t/deacon/dogs/boot/.boot-running',
      bootStatusFile: '/t/deacon/dogs/boot/.boot-status.json',
      daemonLogFile: '/t/daemon/daemon.log',
      daemonPidFile: '/t/daemon/daemon.pid',
      daemonStateFile: '/t/daemon/state.json',
    });
  });
});
