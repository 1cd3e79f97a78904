import { pullContract } from '../shared/contract.ts';
import { cliChannel } from './channel.ts';

pullContract(cliChannel);
