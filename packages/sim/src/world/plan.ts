/** What the world itself plans; agents' own acts have smaller numbers. */
export const Plan = {
  deliver: 100,
  due: 101,
  claim: 102,
  receipt: 103,
  kill: 104,
  decide: 105,
  restart: 106,
  fault: 107,
  back: 108,
  heal: 109,
  inspect: 110,
  breaker: 111,
  visit: 112,
} as const;
