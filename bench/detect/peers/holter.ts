import {
  defaultDetectionPolicy,
  emptyDetectorState,
  observe,
} from '../../../packages/core/src/detect/index.ts';
import type { Peer } from './peer.ts';

export const holter: Peer = {
  name: 'Holter',
  begin: () => {
    let state = emptyDetectorState;
    return (step) => {
      const observation = observe(state, step, defaultDetectionPolicy);
      state = observation.state;
      if (observation.findings.some((finding) => finding.severity === 'act')) return 'act';
      return observation.findings.length > 0 ? 'warn' : 'none';
    };
  },
};
