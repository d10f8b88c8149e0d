// placeholder until verify lands
export interface VerifyTask {
  level: number;
}
export interface VerifyResult {
  faults: string[];
}
export async function verifyShard(task: VerifyTask): Promise<VerifyResult> {
  return { faults: [String(task.level)] };
}
