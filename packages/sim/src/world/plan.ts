/** What the world itself plans; agents' own acts have smaller numbers. */
export const Plan = {
  deliver: 100,
  due: 101,
  /** A function of whoever planned it. */
  call: 102,
  fault: 103,
  outageEnds: 104,
  heal: 105,
  inspect: 106,
} as const;
