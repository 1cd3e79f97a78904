type StartFault =
  | 'port_taken'
  | 'address'
  | 'not_loopback'
  | 'tls'
  | 'already_running'
  | 'data_folder'
  | 'store'
  | 'ecos_folder';

/** Why the server could not start, in words for the person who started it, and what to do about it. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly code: StartFault;
  readonly next: string;
  constructor(code: StartFault, message: string, next: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.next = next;
  }
}

/** Without TLS, whoever can listen on the way reads every token. */
export function openAddressError(host: string): StartError {
  return new StartError(
    'not_loopback',
    `${host} can be reached from other machines, and without TLS others can read every token on its way`,
    'name a certificate: --tls-cert FILE --tls-key FILE, listen on 127.0.0.1 behind a proxy with TLS, or say why it is all right: --insecure-because "private network"',
  );
}

export function listenError(error: unknown, host: string, port: number): StartError {
  const { code, message } = error as { code?: string; message?: string };
  if (code === 'EADDRINUSE') {
    return new StartError(
      'port_taken',
      `port ${port} on ${host} is taken by another program`,
      `stop that program, or choose another port: holter up --port ${port + 1}`,
      { cause: error },
    );
  }
  const next =
    code === 'EACCES' ? 'choose a port above 1023' : 'choose an address of this machine with --host';
  return new StartError('address', `can't listen on ${host}:${port}: ${message ?? String(error)}`, next, {
    cause: error,
  });
}

export function folderError(error: unknown, path: string): StartError {
  return new StartError(
    'data_folder',
    `the data folder ${path} can't be used: ${(error as Error).message}`,
    'choose a folder that you may write to: --data DIR, or HOLTER_DATA',
    { cause: error },
  );
}
