// `npm run fix`: writes the tables of the documents that follow from the code.
import { readFileSync, writeFileSync } from 'node:fs';
import { documents, withTables } from './documents.ts';

for (const file of documents()) {
  const text = readFileSync(file, 'utf8');
  const written = withTables(text);
  if (written === text) continue;
  writeFileSync(file, written);
  console.log(`${file}: its tables are written anew`);
}
