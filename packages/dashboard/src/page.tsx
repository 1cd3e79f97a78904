import { AgentView } from './agent/agent-view.tsx';
import { FleetView } from './fleet/fleet-view.tsx';
import { IncidentsView } from './incidents/incidents-view.tsx';
import { DecisionDialog } from './parts/decision-dialog.tsx';
import { FailingChannels } from './parts/failing-channels.tsx';
import { Help } from './parts/help.tsx';
import { Link } from './parts/link.tsx';
import { Empty } from './parts/messages.tsx';
import { OwnTroubles } from './parts/own-troubles.tsx';
import { Stale } from './parts/stale.tsx';
import { Toasts } from './parts/toasts.tsx';
import { TopBar } from './parts/top-bar.tsx';
import { isLoggedOut } from './state/api.ts';
import { view } from './state/route.ts';
import { isOpening, session } from './state/session.ts';
import { BreakersView } from './views/breakers-view.tsx';
import { CostView } from './views/cost-view.tsx';
import { HistoryView } from './views/history-view.tsx';
import { Login } from './views/login.tsx';
import { SystemView } from './views/system-view.tsx';

export function Page() {
  if (isOpening.value && session.value === null) return <main class="opening" aria-busy="true" />;
  if (session.value === null || isLoggedOut.value) return <Login />;
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <TopBar />
      <main id="main" tabIndex={-1}>
        <Stale />
        <OwnTroubles />
        <FailingChannels />
        <Shown />
      </main>
      <Help />
      <DecisionDialog />
      <Toasts />
    </>
  );
}

function Shown() {
  const shown = view.value;
  switch (shown.name) {
    case 'fleet':
      return <FleetView />;
    case 'agent':
      return <AgentView agentId={shown.agentId} />;
    case 'incidents':
      return <IncidentsView />;
    case 'breakers':
      return <BreakersView />;
    case 'history':
      return <HistoryView />;
    case 'system':
      return <SystemView />;
    case 'cost':
      return <CostView />;
    case 'lost':
      return (
        <Empty title="Page not found" text="There is no page at this address.">
          <Link to="/">All agents</Link>
        </Empty>
      );
  }
}
