// Why the proxy does not start: what is wrong, where, and what to do about it.

/** A fault of the options, the machine or the origin. `message` says what, `where` where, `remedy` what to do. */
export class StartError extends Error {
  readonly where: string;
  readonly remedy: string;

  constructor(message: string, where: string, remedy: string) {
    super(message);
    this.name = 'StartError';
    this.where = where;
    this.remedy = remedy;
  }
}
