import { openSync } from 'node:fs';
import { ReadStream } from 'node:tty';
import { Box, render, Text, useInput } from 'ink';
import { createElement, type ReactElement, useSyncExternalStore } from 'react';
import type { Paint } from '../terminal/paint.ts';
import { changedLines } from './changed-lines.ts';
import type { Controller } from './controller.ts';
import type { Key, KeyName } from './keys.ts';
import { frameOf } from './views/frame.ts';

type InkKey = Parameters<Parameters<typeof useInput>[0]>[1];

const NAMES: readonly (readonly [keyof InkKey, KeyName])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['pageUp', 'pageUp'],
  ['pageDown', 'pageDown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['backspace', 'backspace'],
  // What most terminals send for the backspace key.
  ['delete', 'backspace'],
];

const CONTROLS: Readonly<Record<string, KeyName>> = {
  '\r': 'enter',
  '\u001b': 'escape',
  '\u007f': 'backspace',
};
const SPACE = 0x20;
/** From a control character to its letter. */
const CTRL_OFFSET = 0x60;

const nameOf = (key: InkKey): KeyName | null => NAMES.find(([name]) => key[name] === true)?.[1] ?? null;

/** Keys that come quickly, or over a slow line, arrive as one text. */
function keysOf(input: string, key: InkKey): readonly Key[] {
  const name = nameOf(key);
  if (name !== null || input.length <= 1) return [{ input, name, isCtrl: key.ctrl }];
  return Array.from(input, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (character in CONTROLS) return { input: '', name: CONTROLS[character] ?? null, isCtrl: false };
    if (code >= SPACE) return { input: character, name: null, isCtrl: false };
    return { input: String.fromCharCode(code + CTRL_OFFSET), name: null, isCtrl: true };
  });
}

/**
 * Draws what the controller shows, and passes it the keys. Returns a function that takes it off the screen.
 *
 * Ink lays out each frame and reads the keys. What has changed is written here: Ink's own writer erases the whole
 * screen when a frame fills it.
 */
export function showScreen(controller: Controller, paint: Paint): () => void {
  const { stdout } = process;
  // Of its own, and closed with the screen: Node would go on reading `process.stdin` beside a program in the foreground.
  const keyboard = new ReadStream(openSync('/dev/tty', 'r'));
  const update = changedLines();
  const target = Object.create(stdout, {
    write: { value: (frame: string) => stdout.write(update(frame, controller.state.size)) },
  }) as NodeJS.WriteStream;
  const Screen = (): ReactElement => {
    const state = useSyncExternalStore(controller.subscribe, () => controller.state);
    useInput((input, key) => {
      for (const each of keysOf(input, key)) controller.press(each);
    });
    const lines = frameOf(state, paint).map((line, index) =>
      // An empty text would have no height.
      createElement(Text, { key: index, wrap: 'truncate' }, line === '' ? ' ' : line),
    );
    return createElement(Box, { flexDirection: 'column', width: state.size.columns }, lines);
  };
  const { unmount } = render(createElement(Screen), {
    stdout: target,
    stdin: keyboard,
    exitOnCtrlC: false,
    patchConsole: false,
    // Every frame is written whole, to `target`.
    debug: true,
  });
  return () => {
    unmount();
    keyboard.destroy();
  };
}
