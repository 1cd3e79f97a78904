import { X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { createSecureContext, Server as TlsServer } from 'node:tls';
import type { TlsFiles } from './config/load.ts';
import type { Clock } from './engine/clock.ts';
import { readSettingsFile } from './files/settings-file.ts';
import { LOCAL_NAMES, urlName } from './listen-address.ts';
import type { Logger } from './logging/logger.ts';
import { StartError } from './start-error.ts';

type Certificate = { readonly cert: string; readonly key: string; readonly x509: X509Certificate };

type Surroundings = { readonly clock: Clock; readonly logger: Logger };

const PEM_BYTES_MAX = 1024 * 1024;
const DAY_MS = 24 * 3_600_000;
const EXPIRES_SOON_DAYS = 14;

/** Reads both files, checks that they belong together, and warns about what would surprise later. */
export function readCertificate(files: TlsFiles, { clock, logger }: Surroundings): Certificate {
  const warn = (message: string): void => logger.warn(message);
  const cert = readPem(files.cert);
  const key = readPem(files.key);
  const x509 = parse(files, cert, key);
  if ((statSync(files.key).mode & 0o007) !== 0)
    warn(`every user of this machine may use the private key ${files.key}; to change that: chmod o= FILE`);
  const daysLeft = (Date.parse(x509.validTo) - clock.now()) / DAY_MS;
  if (daysLeft < 0) warn(`the certificate ${files.cert} has expired: clients refuse it`);
  else if (daysLeft < EXPIRES_SOON_DAYS)
    warn(`the certificate ${files.cert} expires on ${x509.validTo}; renew it, then send SIGHUP`);
  return { cert, key, x509 };
}

function readPem(file: string): string {
  try {
    return readSettingsFile(file, PEM_BYTES_MAX);
  } catch (error) {
    throw unusable(`${file} can't be read: ${(error as Error).message}`, error);
  }
}

function parse(files: TlsFiles, cert: string, key: string): X509Certificate {
  try {
    createSecureContext({ cert, key });
    return new X509Certificate(cert);
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    const isPair = code !== 'ERR_OSSL_X509_KEY_VALUES_MISMATCH';
    const why = isPair ? message : 'the key belongs to another certificate';
    throw unusable(`${files.cert} and ${files.key} can't be used: ${why}`, error);
  }
}

const unusable = (message: string, cause: unknown): StartError =>
  new StartError(
    'tls',
    message,
    'name a certificate and its private key, both in PEM, without a passphrase',
    {
      cause,
    },
  );

/** Connections that are open keep the old one; so do new ones when the files can't be used. */
export function renewCertificate(server: unknown, files: TlsFiles, surroundings: Surroundings): void {
  try {
    const { cert, key } = readCertificate(files, surroundings);
    if (server instanceof TlsServer) server.setSecureContext({ cert, key });
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    surroundings.logger.error(`${error.message}; the old certificate stays in use`);
  }
}

type Called = { readonly host: string; readonly hosts: readonly string[]; readonly logger: Logger };

/** The name by which programs on this machine call the server: the first that its certificate is valid for. */
export function certifiedName({ x509 }: Certificate, { host, hosts, logger }: Called): string {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const isLocal = isEverywhere || LOCAL_NAMES.includes(urlName(host));
  const names = [...(isEverywhere ? [] : [host]), ...(isLocal ? LOCAL_NAMES : []), ...hosts];
  const found = names
    .map((name) => name.replace(/^\[|\]$/g, ''))
    .find((name) => (isIP(name) === 0 ? x509.checkHost(name) : x509.checkIP(name)) !== undefined);
  if (found !== undefined) return found;
  logger.warn(
    `the certificate is for ${x509.subjectAltName ?? 'no name'}, and none of these is an address or a name in \`hosts\` of this server: clients refuse it`,
  );
  return host;
}
