import { existsSync, mkdirSync } from 'node:fs';
import type { Command } from 'commander';
import { refuseAgents } from '../client/connection.ts';
import { CliFailure } from '../terminal/failure.ts';
import { withExamples } from '../terminal/help.ts';
import type { Io } from '../terminal/io.ts';
import { readTownSettings, writeTownSettings } from './settings.ts';
import { findTown, TOWN_OPTION } from './town.ts';

/** `holter town`: the folder in which the watchdog chain keeps its state. */
export function registerTown(program: Command, io: Io): void {
  const town = program.command('town').description('the folder of the watchdog chain');
  withExamples(
    town
      .command('init')
      .description('make the folders of a town, and write its names and thresholds')
      .argument('[dir]', 'the same as --town')
      .option(...TOWN_OPTION),
    [
      ['holter town init', 'a town in ~/gt'],
      ['holter town init /srv/town', 'a town elsewhere; set HOLTER_TOWN, or use --town'],
    ],
  ).action((dir: string | undefined, options: { readonly town?: string }) => {
    refuseAgents(io, 'town init');
    init(io, dir ?? options.town);
  });
}

function init(io: Io, named: string | undefined): void {
  const town = findTown(named, io.env);
  try {
    for (const folder of [town.daemonFolder, town.bootFolder]) mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new CliFailure(`the folder ${town.path} can't be used: ${(error as Error).message}`);
  }
  const isThere = existsSync(town.settingsFile);
  // Says what is wrong with it.
  readTownSettings(town);
  if (!isThere) writeTownSettings(town);
  io.out(`${town.settingsFile}${isThere ? ' is kept as it is' : ''}\n`);
  io.out('next: holter daemon    (its programs are named in holter.yaml: town.deacon_command)\n');
}
