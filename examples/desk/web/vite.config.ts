import { defineConfig } from 'vite'

// Two pages: the desk, and the admin with its own, larger script.
export default defineConfig({
  build: { rolldownOptions: { input: ['index.html', 'admin/index.html'] } }
})
