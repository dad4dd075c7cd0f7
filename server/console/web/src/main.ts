import { mount } from 'svelte';

import './app.css';
import App from './App.svelte';
import { startTheme } from './kit/theme.svelte';
import { pageOf } from './pages/pages';
import { route, startRouter } from './router.svelte';

startTheme();
startRouter();
// The page's own files are on their way while the frame around it is built, which reports what cannot be loaded.
const place = pageOf(route.segments, route.fragment);
for (const load of [place.load, place.loadView]) load?.().catch(() => {});
const target = document.getElementById('app')!;
target.replaceChildren();
mount(App, { target });
