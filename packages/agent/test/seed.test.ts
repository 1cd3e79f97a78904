// One file, so that all of it runs at once: in real time, and no longer than its longest.
import './seed/contract.ts';
import './seed/acceptance.ts';
