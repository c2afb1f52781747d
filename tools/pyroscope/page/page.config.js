import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

// What the page's own vite.config.ts says of the build, and packages that are not to be had.
export default defineConfig({
  plugins: [react()],
  resolve: {
    alias: {
      '@components': here('./src/components'),
      '@hooks': here('./src/hooks'),
      '@api': here('./src/api'),
      '@grafana/assistant': here('./absent.cjs'),
      'react-data-grid': here('./absent.cjs'),
    },
  },
  base: './',
});
