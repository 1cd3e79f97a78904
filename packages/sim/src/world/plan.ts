/** What the world itself plans; agents' own acts have smaller numbers. */
export const Plan = {
  deliver: 100,
  due: 101,
  /** Calls the function that was planned. */
  call: 102,
  fault: 103,
  outageEnds: 104,
  heal: 105,
  inspect: 106,
} as const;
