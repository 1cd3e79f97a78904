import type { AlertMessage } from '../shared/alert-message.ts';
import { clip, textOf } from '../shared/alert-message.ts';
import type { Channel } from '../shared/channel.ts';
import type { ChannelKind } from '../shared/channel-kind.ts';
import { postJson } from '../shared/post.ts';

type Settings = { readonly name: string; readonly url: string; readonly perMinute: number };

/** An incoming webhook of Slack. Agents' words are plain text there; only Holter's own links are markup. */
export const slackChannel = ({ name, url, perMinute }: Settings): Channel => ({
  name,
  perMinute,
  deliver: ({ key, alert }, context) =>
    postJson(url, { body: { text: escapeText(textOf(alert)), blocks: blocksOf(alert, key) } }, context),
});

const HEADER_LENGTH_MAX = 150;
const SECTION_LENGTH_MAX = 3_000;
const ID_LENGTH_MAX = 255;

const SIGNS = { info: ':information_source:', warning: ':warning:', critical: ':rotating_light:' } as const;

function blocksOf({ title, lines, link, decisions, severity, action }: AlertMessage, key: string): unknown[] {
  const links = [
    ...(link === null ? [] : [linkText('Show it', link)]),
    ...decisions.map(({ label, link: to }) => linkText(label, to)),
  ];
  const sign = action === 'resolve' ? ':white_check_mark:' : SIGNS[severity];
  return [
    {
      type: 'header',
      block_id: key.slice(0, ID_LENGTH_MAX),
      text: { type: 'plain_text', emoji: true, text: clip(`${sign} ${title}`, HEADER_LENGTH_MAX) },
    },
    ...(lines.length === 0 ? [] : [section('plain_text', clip(lines.join('\n'), SECTION_LENGTH_MAX))]),
    ...(links.length === 0 ? [] : [section('mrkdwn', links.join('  ·  '))]),
  ];
}

const section = (type: 'plain_text' | 'mrkdwn', text: string): unknown => ({
  type: 'section',
  text: { type, text, ...(type === 'plain_text' && { emoji: false }) },
});

const linkText = (label: string, link: string): string => `<${escapeText(link)}|${label}>`;

/** Slack's three control characters. Without them no text can mention people or make links. */
const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export const slack: ChannelKind<Settings> = {
  read: (reader) => ({ url: reader.url() }),
  build: slackChannel,
};
