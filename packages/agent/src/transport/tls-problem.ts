/** Why TLS did not come about, and what to do; null for every other failure. */
export function tlsProblem(error: unknown): string | null {
  const { code = '', message = '' } = (error ?? {}) as { readonly code?: string; readonly message?: string };
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `its certificate is for another name: ${message.replace(/^.*(?:altnames|list): /, '')}`;
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired';
  if (code === 'CERT_NOT_YET_VALID') return 'its certificate is not valid yet; is the clock right?';
  if (UNTRUSTED.test(code))
    return `its certificate is not signed by an authority that this machine trusts (${code}); put the file of yours into NODE_EXTRA_CA_CERTS`;
  return code === 'EPROTO' || code === 'ERR_SSL_WRONG_VERSION_NUMBER'
    ? 'it does not speak https; try http://'
    : null;
}

const UNTRUSTED =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_(?:UNTRUSTED|REJECTED|SIGNATURE))/;
