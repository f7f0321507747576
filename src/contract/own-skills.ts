/** The person's own skills, which lie in our state and are no part of it. */
export function ownSkills(stateDirectory: string): string {
  return `${stateDirectory}/skills`;
}
