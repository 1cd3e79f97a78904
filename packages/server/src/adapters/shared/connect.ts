/** How an agent that people start themselves is made to report to Holter, and how that is taken back. */
export type Connect = {
  /** The settings file to change: of this folder, or of all the user's projects. */
  readonly file: (place: ConnectPlace) => string;
  /** The file's text with hooks to this server; the very same text when they are there already. */
  readonly add: (text: string | null, server: HookTarget) => string | null;
  /** The text without hooks to any Holter; null when nothing is left and the file can go. */
  readonly remove: (text: string | null) => string | null;
  /** Whether both texts say the same, however they are formatted. */
  readonly isSame: (one: string | null, other: string | null) => boolean;
  /** Where the hooks in the text go; null when it has none to a Holter. */
  readonly find: (text: string | null) => HookTarget | null;
};

type ConnectPlace = {
  readonly env: NodeJS.ProcessEnv;
  readonly workingDirectory: string;
  readonly isForUser: boolean;
};

export type HookTarget = {
  readonly serverUrl: string;
  readonly header: HookHeader;
  /** Starts the server when a session begins and none runs; for a server of this machine. */
  readonly startCommand?: string;
};

export type HookHeader =
  /** The secret itself: for a file that only its owner reads. */
  | { readonly token: string }
  /** The name of an environment variable that holds it. */
  | { readonly variable: string };

/** Beginning of the secret of a token that can only post hooks. */
export const HOOK_SECRET_PREFIX = 'hlt_hook_';

export const isHookSecret = (secret: string): boolean => secret.startsWith(HOOK_SECRET_PREFIX);

/** Why reports of a connected agent do not arrive: the first reason that explains it. */
export type Diagnosis = { readonly isFine: boolean; readonly says: string; readonly next?: string };

export type DiagnosisContext = {
  readonly env: NodeJS.ProcessEnv;
  readonly workingDirectory: string;
  /** Null when no server answers, which `holter doctor` reports by itself. */
  readonly serverUrl: string | null;
  /** Whether any session of this kind has ever reported. */
  readonly hasSessions: boolean;
};
