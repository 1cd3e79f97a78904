import {
  ALNUM,
  BASE64,
  CAPITALS,
  DOTTED,
  HEX,
  hasDigit,
  isOf,
  kindsIn,
  runEnd,
  runStart,
  URL_SAFE,
} from './characters.ts';

/**
 * Keys that their issuer marks with a prefix. `min` is the least number of characters after the prefix: lower
 * than what is issued today, so that a key which was cut in the middle is found too.
 */
type KeyFormat = {
  readonly prefix: string;
  readonly chars: number;
  readonly min: number;
  /** Words may look like this one, so a digit is needed after the prefix. */
  readonly needsDigit?: true;
  /** Base64 may hold the prefix, so it must not be inside of that. */
  readonly isAlone?: true;
};

const of = (chars: number, min: number, prefixes: string): readonly KeyFormat[] =>
  prefixes.split(' ').map((prefix) => ({ prefix, chars, min }));
const withDigit = (formats: readonly KeyFormat[]): readonly KeyFormat[] =>
  formats.map((format) => ({ ...format, needsDigit: true }));

const alone = (formats: readonly KeyFormat[]): readonly KeyFormat[] =>
  formats.map((format) => ({ ...format, isAlone: true }));

export const KEY_FORMATS: readonly KeyFormat[] = [
  // Holter's own.
  ...of(URL_SAFE, 16, 'hlt_'),
  // Models: OpenAI and those who copied its format, Anthropic, Groq, xAI, Perplexity, Hugging Face, Replicate …
  ...of(URL_SAFE, 12, 'sk-ant- sk-proj- sk-svcacct- sk-admin- sk-or-v1- sk-lf- pk-lf-'),
  ...withDigit(of(URL_SAFE, 16, 'sk-')),
  ...withDigit(of(URL_SAFE, 20, 'gsk_ xai- pplx- csk- tvly- pcsk_ lsv2_pt_ lsv2_sk_ tgp_v1_ fw_ r8_ nvapi-')),
  ...withDigit(of(ALNUM, 40, 'jina_')),
  ...of(ALNUM, 20, 'hf_ api_org_'),
  // Clouds: AWS, Google, Azure, Alibaba, DigitalOcean, Fly, Databricks, Aiven …
  ...of(CAPITALS, 16, 'AKIA ASIA ABIA ACCA AROA AIDA'),
  ...withDigit(of(ALNUM, 16, 'LTAI')),
  ...of(BASE64, 60, 'ABSK'),
  ...of(URL_SAFE, 30, 'AIza'),
  ...of(URL_SAFE, 16, 'ya29. GOCSPX-'),
  ...withDigit(of(URL_SAFE, 24, '1//0')),
  ...of(HEX, 32, 'dop_v1_ doo_v1_ dor_v1_ dapi'),
  ...of(BASE64, 40, 'fo1_ fm1_ fm2_'),
  ...of(URL_SAFE, 16, 'AVNS_ sbp_ sb_secret_ napi_ pscale_tkn_ pscale_pw_ pscale_oauth_ nfp_ rnd_ HRKU-'),
  // Code hosts and registries.
  ...of(ALNUM, 20, 'ghp_ gho_ ghu_ ghs_ ghr_'),
  ...of(URL_SAFE, 20, 'github_pat_'),
  ...of(DOTTED, 16, 'glpat- glptt- gldt- glrt- glcbt- glsoat- glft- gloas- glagent- glimt- glffct-'),
  ...of(URL_SAFE, 16, 'GR1348941 ATATT3x ATCTT3x ATBB bkua_ CCIPAT_ sgp_'),
  ...of(ALNUM, 30, 'npm_'),
  ...of(URL_SAFE, 30, 'pypi-Ag'),
  ...of(HEX, 40, 'rubygems_ pul-'),
  ...withDigit(of(ALNUM, 32, 'cio')),
  ...withDigit(of(ALNUM, 43, 'oy2')),
  ...of(URL_SAFE, 16, 'dckr_pat_ dckr_oat_ CLOJARS_ AKCp'),
  // Messages and mail.
  ...withDigit(of(URL_SAFE, 10, 'xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.xoxp- xapp-')),
  ...of(HEX, 32, 'key-'),
  ...[...'0123456789abcdef'].map((first) => ({ prefix: `SK${first}`, chars: HEX, min: 31 })),
  ...withDigit(of(DOTTED, 40, 'SG.')),
  ...withDigit(of(URL_SAFE, 30, 'xkeysib- xsmtpsib- re_')),
  // Money and shops.
  ...of(ALNUM, 10, 'sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_'),
  ...of(BASE64, 24, 'whsec_'),
  ...alone(withDigit(of(ALNUM, 40, 'EZAK EZTK EAAA EAAB EAAC EAAG'))),
  ...of(HEX, 32, 'shpat_ shpca_ shppa_ shpss_ sk_'),
  ...of(URL_SAFE, 20, 'sq0atp- sq0csp- shippo_live_ shippo_test_ FLWSECK_'),
  // Secrets, infrastructure, observation, work.
  ...of(URL_SAFE, 20, 'hvs. hvb. hvr. ops_eyJ tskey-auth- tskey-api- tskey-client-'),
  ...of(DOTTED, 30, 'dp.pt. dp.st. dp.ct. dp.sa. dt0c01.'),
  ...of(CAPITALS, 40, 'AGE-SECRET-KEY-1'),
  ...withDigit(of(URL_SAFE, 20, 'glc_ glsa_ NRAK- NRII- NRJS- sntryu_ hcaik_ PMAK- CFPAT- figd_ ntn_ tfp_')),
  ...of(BASE64, 40, 'sntrys_'),
  ...withDigit(of(ALNUM, 40, 'secret_ phx_')),
  ...of(ALNUM, 30, 'lin_api_ lin_oauth_'),
];

/** Where the key of this format ends; -1 if it is none. A failed try has read a bounded number of characters. */
export function keyEnd(text: string, from: number, format: KeyFormat): number {
  const { prefix, chars, min, needsDigit, isAlone } = format;
  // "task-", "disk-": the prefix must not be the end of a word.
  if (isOf(text, from - 1, isAlone ? BASE64 : ALNUM)) return -1;
  const start = from + prefix.length;
  const headEnd = runEnd(text, start, chars, Math.min(text.length, start + HEAD));
  if (headEnd - start < min) return -1;
  if (needsDigit && !hasDigit(kindsIn(text.slice(start, headEnd)))) return -1;
  return runEnd(text, headEnd, chars);
}

/** A key is judged by so many characters: more than `min` of any format, and random ones have a digit among them. */
const HEAD = 64;

type Span = readonly [from: number, to: number];

/** A bot token of Telegram, `123456789:AA…`, at the colon. */
export function telegramToken(text: string, colon: number): Span | null {
  const start = runStart(text, colon, HEX, colon - 11);
  if (!/^\d{8,10}$/.test(text.slice(start, colon)) || isOf(text, start - 1, ALNUM)) return null;
  const end = runEnd(text, colon + 1, URL_SAFE);
  return end - colon >= 30 ? [start, end] : null;
}

/** A client secret of Azure, `abc8Q~…`: three letters and a digit before the sign. */
export function azureSecret(text: string, sign: number): Span | null {
  const start = sign - 4;
  if (start < 0 || !isOf(text, sign - 1, HEX) || runStart(text, sign, URL_SAFE, start) !== start) return null;
  let end = sign + 2;
  while (isOf(text, end, DOTTED) || text[end] === '~') end += 1;
  return end - sign >= 28 ? [start, end] : null;
}

/** Paths of webhooks: whoever knows one may post. */
export const HOOK_HOSTS: readonly string[] = [
  'hooks.slack.com/services/',
  'hooks.slack.com/workflows/',
  'hooks.slack.com/triggers/',
  'discord.com/api/webhooks/',
  'discordapp.com/api/webhooks/',
  '.webhook.office.com/webhookb2/',
  'api.telegram.org/bot',
];

export function hookPathEnd(text: string, from: number): number {
  let end = from;
  while (isOf(text, end, DOTTED | BASE64) || text[end] === '@' || text[end] === ':') end += 1;
  return end - from >= 16 ? end : -1;
}
