// The forms of a name that count as the whole name: each of the names between slashes (`Elx/Elche`), and one whose
// article statistical offices write at its end (`Rozas de Madrid, Las`, `Coruña (A)`) with the article at its front.

/** Apostrophes, also those that Unicode calls letters. */
export const APOSTROPHES = /['`\u02b9-\u02bf\u02c8\u02ee\u2018-\u201b\u2032\ua78b\ua78c\uff07]/g;

/** Separates names in several languages. */
const SLASH = '/';
const ARTICLE = `\\p{L}{1,4}${APOSTROPHES.source}?`;
/** An article at the end, after a comma or in brackets. */
const LAST_ARTICLE = new RegExp(`(?:,\\s*(${ARTICLE})|\\((${ARTICLE})\\))$`, 'u');
const ENDS_IN_APOSTROPHE = new RegExp(`${APOSTROPHES.source}$`);

/** The forms, the name itself first. */
export function nameForms(name: string): string[] {
  const parts = name
    .split(SLASH)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return [name, ...(parts.length > 1 ? parts : []), ...parts.flatMap((part) => withArticleFirst(part) ?? [])];
}

/** @returns undefined if it ends in no article */
function withArticleFirst(name: string): string | undefined {
  const found = LAST_ARTICLE.exec(name);
  const article = found?.[1] ?? found?.[2];
  const rest = name.slice(0, found?.index).trim();
  if (article === undefined || rest === '') return undefined;
  return ENDS_IN_APOSTROPHE.test(article) ? article + rest : `${article} ${rest}`;
}
