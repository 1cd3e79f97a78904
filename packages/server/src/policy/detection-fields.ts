import { type DetectionPolicy, defaultDetectionPolicy } from '@holter/core';
import type { Table, Values } from './check.ts';
import { ranges } from './ranges.ts';
import { count, duration, names } from './readers.ts';

/** The thresholds of the detectors that an operator may set; `detect/policy.ts` is their home. */
const times = count(ranges.detections);

export const DETECTION_FIELDS = {
  'detection.repeated_call.warn': times,
  'detection.repeated_call.act': times,
  'detection.call_cycle.warn': times,
  'detection.call_cycle.act': times,
  'detection.same_error.warn': times,
  'detection.same_error.act': times,
  'detection.flat_failure.warn': times,
  'detection.flat_failure.act': times,
  'detection.zero_diversity.warn': times,
  'detection.zero_diversity.act': times,
  'detection.unknown_tool.warn': times,
  'detection.unknown_tool.act': times,
  'detection.poll.warn': times,
  'detection.poll.act': times,
  'detection.repeated_text.warn': times,
  'detection.repeated_text.act': times,
  'detection.monologue.warn': times,
  'detection.monologue.act': times,
  'detection.empty_replies.warn': times,
  'detection.empty_replies.act': times,
  'detection.compaction_loop.warn': times,
  'detection.compaction_loop.act': times,
  'detection.near_duplicate.warn': times,
  'detection.spaced': duration(ranges.threshold),
  'detection.pollers': names(ranges.pollers, /^[\w.:/-]{1,120}$/),
} as const satisfies Table;

type DetectionSettings = Values<typeof DETECTION_FIELDS>;

export const DETECTION_WITH_BOTH = [
  'repeated_call',
  'call_cycle',
  'same_error',
  'flat_failure',
  'zero_diversity',
  'unknown_tool',
  'poll',
  'repeated_text',
  'monologue',
  'empty_replies',
  'compaction_loop',
] as const;

export function buildDetection(settings: DetectionSettings): DetectionPolicy {
  const limits = (name: (typeof DETECTION_WITH_BOTH)[number]) => ({
    warn: settings[`detection.${name}.warn`],
    act: settings[`detection.${name}.act`],
  });
  const shipped = defaultDetectionPolicy;
  return {
    ...shipped,
    repeatedCall: limits('repeated_call'),
    callCycle: { ...shipped.callCycle, ...limits('call_cycle') },
    sameError: limits('same_error'),
    flatFailure: { ...shipped.flatFailure, ...limits('flat_failure') },
    zeroDiversity: limits('zero_diversity'),
    unknownTool: limits('unknown_tool'),
    poll: { ...shipped.poll, ...limits('poll') },
    repeatedText: limits('repeated_text'),
    monologue: limits('monologue'),
    emptyReplies: limits('empty_replies'),
    compactionLoop: limits('compaction_loop'),
    nearDuplicate: { warn: settings['detection.near_duplicate.warn'] },
    spacedMs: settings['detection.spaced'],
    pollers: settings['detection.pollers'],
  };
}

export function defaultDetectionSettings(): DetectionSettings {
  const shipped = defaultDetectionPolicy;
  const both = (name: string, { warn, act }: { readonly warn: number; readonly act: number }) => ({
    [`detection.${name}.warn`]: warn,
    [`detection.${name}.act`]: act,
  });
  return {
    ...both('repeated_call', shipped.repeatedCall),
    ...both('call_cycle', shipped.callCycle),
    ...both('same_error', shipped.sameError),
    ...both('flat_failure', shipped.flatFailure),
    ...both('zero_diversity', shipped.zeroDiversity),
    ...both('unknown_tool', shipped.unknownTool),
    ...both('poll', shipped.poll),
    ...both('repeated_text', shipped.repeatedText),
    ...both('monologue', shipped.monologue),
    ...both('empty_replies', shipped.emptyReplies),
    ...both('compaction_loop', shipped.compactionLoop),
    'detection.near_duplicate.warn': shipped.nearDuplicate.warn,
    'detection.spaced': shipped.spacedMs,
    'detection.pollers': shipped.pollers,
  } as DetectionSettings;
}
