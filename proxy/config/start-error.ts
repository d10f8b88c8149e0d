// Errors that prevent a start: what is wrong, where, and what to do.

/** An error of the options, the machine or the origin. */
export class StartError extends Error {
  /** The option, address or folder that is wrong. */
  readonly where: string;
  /** What to do. */
  readonly remedy: string;

  /** @param message what is wrong */
  constructor(message: string, where: string, remedy: string) {
    super(message);
    this.name = 'StartError';
    this.where = where;
    this.remedy = remedy;
  }
}

/** An error of the options: the command line is wrong. */
export class OptionError extends StartError {}
