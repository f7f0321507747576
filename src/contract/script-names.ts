const scriptEnding =
  /\.(?:[cm]?[jt]sx?|py|sh|bash|zsh|fish|rb|pl|pm|php|lua|ps1|bat|cmd|mk|go|rs|c|cc|cpp|java|kts?|gradle)$/i;

const readUnnamed =
  /^(?:(?:gnu)?makefile|package\.json|justfile|rakefile|gemfile|tox\.ini|pyproject\.toml|cmakelists\.txt|meson\.build|taskfile\.ya?ml|build\.rs|build\.gradle(?:\.kts)?|(?:conftest|setup|__main__|__init__|noxfile|dodo)\.py|(?:index|gruntfile|gulpfile)\.[cm]?[jt]s)$/i;

/** Programs read it in the directory that they are started in or pointed at, without being told its name. */
export function isReadUnnamed(name: string): boolean {
  return readUnnamed.test(name);
}

/** By its name there to be run, built or read by a build. Anything else can be run as well, by its name. */
export function hasScriptName(name: string): boolean {
  return scriptEnding.test(name) || readUnnamed.test(name);
}
