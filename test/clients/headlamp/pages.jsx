// The pages of Headlamp for one cluster, without the frame around them, which is not published: see bundle.mjs.
import '@kinvolk/headlamp-plugin/lib/lib/router/index';
import '@kinvolk/headlamp-plugin/lib/i18n/config';
import RouteSwitcher from '@kinvolk/headlamp-plugin/lib/components/App/RouteSwitcher';
import { ActivitiesRenderer } from '@kinvolk/headlamp-plugin/lib/components/activity/Activity';
import { queryClient } from '@kinvolk/headlamp-plugin/lib/lib/queryClient';
import { createMuiTheme } from '@kinvolk/headlamp-plugin/lib/lib/themes';
import { setConfig } from '@kinvolk/headlamp-plugin/lib/redux/configSlice';
import store from '@kinvolk/headlamp-plugin/lib/redux/stores/store';
import { ThemeProvider } from '@mui/material';
import { QueryClientProvider } from '@tanstack/react-query';
import { SnackbarProvider } from 'notistack';
import { createRoot } from 'react-dom/client';
import { Provider } from 'react-redux';
import { BrowserRouter } from 'react-router-dom';

store.dispatch(setConfig({ clusters: { main: { name: 'main', auth_type: '' } } }));

createRoot(document.getElementById('root')).render(
  <Provider store={store}>
    <QueryClientProvider client={queryClient}>
      <ThemeProvider theme={createMuiTheme({ name: 'light', base: 'light' })}>
        <SnackbarProvider>
          <BrowserRouter>
            <RouteSwitcher requiresToken={() => false} />
            <ActivitiesRenderer />
          </BrowserRouter>
        </SnackbarProvider>
      </ThemeProvider>
    </QueryClientProvider>
  </Provider>,
);
