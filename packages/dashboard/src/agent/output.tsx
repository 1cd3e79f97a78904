import type { OutputTailView } from '@holter/server/wire';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { get } from '../state/api.ts';
import { useFresh } from '../state/fresh.ts';

const LOOK_MS = 1_000;
const CHARACTERS_MAX = 64_000;
/** Closer to the end than this, the newest line is what the reader wants to see. */
const END_PIXELS = 24;

/** Colours and other instructions for a terminal. */
const plainText = (text: string): string => text.replaceAll(/(?![\n\t])\p{Cc}(?:\[[\d;?]*[A-Za-z])?/gu, '');

/** What the agent printed, without secrets; it follows, unless the reader has scrolled back. */
export function Output({ agentId }: { readonly agentId: string }) {
  const kept = useRef({ text: '', next: 0, isCut: false });
  const { data } = useFresh(
    `output of ${agentId}`,
    async (stop) => {
      const { text, next, isCut } = kept.current;
      const path = `/v1/agents/${encodeURIComponent(agentId)}/logs`;
      const tail = await get<OutputTailView>(path, { after: next }, stop);
      const whole = (tail.isCut ? '' : text) + plainText(tail.text);
      kept.current = {
        text: whole.slice(-CHARACTERS_MAX),
        next: tail.next,
        isCut: isCut || tail.isCut || whole.length > CHARACTERS_MAX,
      };
      return kept.current;
    },
    LOOK_MS,
    LOOK_MS,
  );
  return data === null || data.text === '' ? null : <Tail {...data} />;
}

function Tail({ text, isCut }: { readonly text: string; readonly isCut: boolean }) {
  const box = useRef<HTMLElement>(null);
  const isFollowing = useRef(true);
  useLayoutEffect(() => {
    if (box.current && isFollowing.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  return (
    <section class="card">
      <h2>Output</h2>
      {isCut && <p class="soft">Older output is not kept.</p>}
      <section
        ref={box}
        class="output"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
        tabIndex={0}
        aria-label="Output, newest last"
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isFollowing.current = scrollHeight - scrollTop - clientHeight < END_PIXELS;
        }}
      >
        <pre>{text}</pre>
      </section>
    </section>
  );
}
