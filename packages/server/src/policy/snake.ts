/** Policies say `silenceAct`, operators write `silence_act`. */
export type Snake<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? Head extends Uppercase<Head>
    ? `_${Lowercase<Head>}${Snake<Tail>}`
    : `${Head}${Snake<Tail>}`
  : Name;

export const snake = <Name extends string>(name: Name): Snake<Name> =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as Snake<Name>;
