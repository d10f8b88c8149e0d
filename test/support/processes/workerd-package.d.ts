// The package has no types: its default export has the path of the program.
declare module 'workerd' {
  const workerd: { default: string };
  // biome-ignore lint/style/noDefaultExport: the package has it.
  export default workerd;
}
