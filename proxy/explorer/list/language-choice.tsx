// The language of names, where the release has some in several.
import { placeToHash } from '../state/place-hash.ts';
import type { Visit } from '../state/visit.ts';

export function LanguageChoice({ visit }: { visit: Visit }) {
  const { about, shown } = visit;
  if (about.languages.length === 0) return null;
  // As a link does: an entry of the history, and the page follows it.
  const choose = (lang: string) => {
    location.hash = placeToHash(shown.place.value, { ...about, lang });
  };
  return (
    <select
      id="language"
      class="language"
      aria-label="Language of names"
      value={about.lang}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    >
      <option value="">Default names</option>
      {about.languages.map((tag) => (
        <option key={tag} value={tag} lang={tag} dir="auto">
          {titleOf(tag)}
        </option>
      ))}
    </select>
  );
}

/** What a language calls itself; that of names in a local script is not known. */
function titleOf(tag: string) {
  return tag === 'und' ? 'Local names' : (new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag);
}
