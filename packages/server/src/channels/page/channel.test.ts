import { pullContract } from '../shared/contract.ts';
import { pageChannel } from './channel.ts';

pullContract(pageChannel);
