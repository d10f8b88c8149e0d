// The one error of the generator: a build fails whole and says what was wrong, where, and what to do.

/** A fault of the source, the options or the machine. `message` says what and where; `remedy` what to do. */
export class BuildError extends Error {
  readonly remedy: string;

  constructor(message: string, remedy: string) {
    super(message);
    this.name = 'BuildError';
    this.remedy = remedy;
  }
}
