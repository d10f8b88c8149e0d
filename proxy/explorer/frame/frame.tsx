// The frame of the page: its head, the panel beside the map, and the map.
import type { RefObject } from 'preact';
import { MapButtons, Stage } from '../map/stage.tsx';
import { isPublicService } from '../sign-in/service.ts';
import { SignIn } from '../sign-in/sign-in.tsx';
import { focusHeading, page } from '../state/page.ts';
import { Panel } from './panel.tsx';

interface Props {
  /** Where the map goes. */
  map: RefObject<HTMLDivElement | null>;
  onSignIn: (token: string, isKept: boolean) => void;
  onSignOut: () => void;
}

export function Frame({ map, onSignIn, onSignOut }: Props) {
  const about = page.about.value;
  const visit = page.visit.value;
  const isSignedOut = page.signIn.value !== undefined;
  const skip = (event: Event) => {
    // The fragment of the address is the place, so the link must not change it.
    event.preventDefault();
    if (isSignedOut) document.getElementById('token')?.focus();
    else focusHeading();
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: a skip link is a link for those who hear the page. */}
      <a id="skip" class="skip" href="#panel" onClick={skip}>
        Skip to the units
      </a>
      <header class="head">
        <img src={new URL('../icon.svg', import.meta.url).href} alt="" width="24" height="24" />
        <h1 id="title">{about?.title ?? 'Boundaries'}</h1>
        <p id="release" class="chip" hidden={about === undefined}>
          {about?.release ?? 'no release yet'}
        </p>
        <nav aria-label="Service">
          <a href="docs">API</a>
        </nav>
        <button id="sign-out" type="button" class="link" hidden={isPublicService() || isSignedOut} onClick={onSignOut}>
          Sign out
        </button>
      </header>
      <main id="panel" class="panel">
        {isSignedOut && <SignIn onSignIn={onSignIn} />}
        {!isSignedOut && (visit ? <Panel visit={visit} /> : <p class="note purpose">Loading…</p>)}
        <p id="announce" class="unseen" role="status">
          {page.said}
        </p>
      </main>
      <Stage map={map}>
        <MapButtons />
      </Stage>
    </>
  );
}
