import { render } from 'preact';
import { Page } from './page.tsx';
import { startClock } from './state/clock.ts';
import { startKeys } from './state/keys.ts';
import { startLive } from './state/live.ts';
import { followHistory } from './state/route.ts';
import { openSession } from './state/session.ts';
import { applyTheme } from './state/theme.ts';

applyTheme();
startClock();
followHistory();
startKeys();
startLive();
void openSession();
const root = document.getElementById('page');
if (root) render(<Page />, root);
