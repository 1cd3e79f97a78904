import { render } from 'preact';
import { startClock } from './clock.ts';
import { startKeys } from './keys.ts';
import { startLive } from './live.ts';
import { Page } from './page.tsx';
import { followHistory } from './route.ts';
import { openSession } from './session.ts';
import { applyTheme } from './theme.ts';

applyTheme();
startClock();
followHistory();
startKeys();
startLive();
void openSession();
const root = document.getElementById('page');
if (root) render(<Page />, root);
