import { runCommand } from './commands.ts';
import { StoryWorld } from './world.ts';

/** A story is blocks separated by an empty line: comments and one command, `----`, and what it printed. */
export function play(story: string): string {
  const world = new StoryWorld();
  const blocks = story.trimEnd().split(/\n\n+/);
  const told = blocks.map((block) => {
    const said = block.split('\n----')[0] ?? '';
    const command = said
      .split('\n')
      .filter((line) => !line.startsWith('#'))
      .join('\n')
      .trim();
    return command === '' ? said : `${said}\n----\n${runCommand(world, command)}`;
  });
  return `${told.join('\n\n')}\n`;
}
